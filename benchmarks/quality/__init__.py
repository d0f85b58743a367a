"""How good the auditor itself is: seeded leaks it should find, and proper releases it should let pass.

Every tool has a module (or package) of its name here with ``KINDS``. A kind is written before the check that
finds it, and describes what somebody did to the data, never what a check looks for.
"""
