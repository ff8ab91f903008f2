"""Pure decisions: values in, values out; the standard library only."""
