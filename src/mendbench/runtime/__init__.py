"""The engine: parses, validates, executes and resumes workflows, and reports what failed.

:mod:`.parse` and :mod:`.validate` read a document. :mod:`.templates` resolves its parameters. :mod:`.engine` walks its
nodes (:mod:`.nodes`). :mod:`.checkpoint` decides which nodes need not run again. :mod:`.failures` describes what went
wrong, and :mod:`.formatter` formats it.
"""
