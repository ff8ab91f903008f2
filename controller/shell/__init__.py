"""The thin shell: watches, writes, metrics, configuration, the process."""
