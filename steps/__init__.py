"""Step definitions, one module per noun, over the vocabulary of Koord-Queue.

``states`` holds what the features' words mean, as predicates over objects, ``words`` the words;
``story`` is what a scenario has done so far. Everything else defines steps. The controller is
reached only through the implementation's verbs and the API server.
"""
