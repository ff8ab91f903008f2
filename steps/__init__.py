"""Step definitions, one module per noun."""
