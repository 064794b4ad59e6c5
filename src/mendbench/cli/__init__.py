"""The command line: parses, calls :mod:`mendbench.api`, renders, returns a code.

Heavy imports wait until a command needs them.
"""
