"""Controllers that do nothing, or next to nothing: every scenario has to fail with them."""
