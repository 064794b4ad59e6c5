"""The Protocols between the packages. Whoever builds the parts (:mod:`mendbench.api`) passes them down."""
