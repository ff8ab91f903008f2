"""The words for what a cluster may be able to do.

A capability is a fact that a scenario may need and that not every cluster has: a scenario tagged
``@needs:simulated-nodes`` runs only where that word is among the cluster's capabilities.
"""

CAPABILITIES = {
    "cross-kind-order": "resourceVersions of different kinds count on one clock",
    "simulated-nodes": "nodes without machines, so a pod runs when, and as long as, a step says",
    "own-users": "the components have users of their own, with only what RBAC gives them",
    "disposable": "the cluster is ours alone and goes as a whole, with all that scenarios leave",
}
