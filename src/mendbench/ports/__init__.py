"""The Protocols between the packages. :mod:`mendbench.api` builds the parts and passes them down."""
