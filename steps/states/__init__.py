"""What the features' words mean, as states of the objects that a scenario watches.

One module for each kind of object. Those that a feature may name stand in ``steps/words.py``.
"""
