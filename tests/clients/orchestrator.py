"""A job that adds the next generation of itself until it has converged."""
import sys

from torc import Orchestrator, SpawnJobModel

orchestrator = Orchestrator.from_env(lineage_fallback="loop")
generation = orchestrator.generation
if generation == 3:
    orchestrator.converge(state={"generations": generation})
else:
    orchestrator.spawn(
        jobs=[SpawnJobModel(name=f"loop_{generation + 1}", command=f"{sys.executable} {__file__}")],
        state={"generation": generation + 1},
    )
