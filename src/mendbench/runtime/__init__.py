"""The engine: parses, validates and executes workflows, resumes them, and tells what failed.

:mod:`.parse` and :mod:`.validate` read a document, :mod:`.templates` resolve its parameters, :mod:`.engine` walks its
nodes (:mod:`.nodes`), :mod:`.checkpoint` says which need not run again, :mod:`.failures` what went wrong, and
:mod:`.formatter` shows it.
"""
