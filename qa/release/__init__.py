"""What a release has to stand beside the tests: dependencies at their oldest and newest, an audit, and its packages in empty environments.

``python -m qa.release`` (a part of ``make check-release``) tries it and ends in a table of what was tried.
"""
