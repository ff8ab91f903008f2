"""queuecheck: a conformance suite for queue-level preemption in Kubernetes batch queues."""

__version__ = "0.1.0"
