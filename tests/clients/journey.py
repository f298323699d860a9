"""A workflow from its creation to its results, through a client that a stock generator made; prints what came of it.

It is the same for a client of either document: operations and bodies are looked up by the names that both have.
"""
import importlib
import json
import os
import pkgutil
import typing

package = importlib.import_module("generated")
models = importlib.import_module("generated.models")
client = package.Client(base_url=os.environ["TORC_API_URL"])

operations = {}
api = importlib.import_module("generated.api")
for subject in pkgutil.iter_modules(api.__path__):
    name = f"generated.api.{subject.name}"
    for operation in pkgutil.iter_modules(importlib.import_module(name).__path__):
        operations[operation.name] = f"{name}.{operation.name}"


def answer(operation, body=None, **arguments):
    """The status and what the client made of the answer, as JSON again; the answer itself where its document says nothing."""
    function = importlib.import_module(operations[operation]).sync_detailed
    if body is not None:
        shape = typing.get_type_hints(function)["body"]
        arguments["body"] = shape.from_dict(body)
    response = function(client=client, **arguments)
    is_model = hasattr(response.parsed, "to_dict")
    return int(response.status_code), response.parsed.to_dict() if is_model else json.loads(response.content)


def call(operation, body=None, **arguments):
    status, parsed = answer(operation, body, **arguments)
    assert status == 200, (operation, status, parsed)
    return parsed


workflow = call("create_workflow", {"name": "generated", "user": "python", "env": {"A": "1"}, "metadata": {"k": [1]}})["id"]
of = {"workflow_id": workflow}
files = call("create_files", {"files": [{**of, "name": name, "path": f"{name}.txt"} for name in ("in", "out")]})["files"]
data = call("create_user_data", {**of, "name": "parameters", "data": {"x": [1, None]}})
needs = call("create_resource_requirements", {**of, "name": "big", "num_cpus": 2, "memory": "1g", "runtime": "PT1H"})
jobs = call("create_jobs", {"jobs": [
    {**of, "name": "first", "command": "true", "input_file_ids": [files[0]["id"]], "output_file_ids": [files[1]["id"]],
     "input_user_data_ids": [data["id"]], "resource_requirements_id": needs["id"], "priority": 1},
    {**of, "name": "second", "command": "true", "input_file_ids": [files[1]["id"]], "labels": ["gpu"]},
]})["jobs"]
found = {"jobs": [job["name"] for job in jobs]}

call("reset_workflow_status", id=workflow)
found["initialized"] = call("initialize_jobs", id=workflow)["message"]
status, task = answer("initialize_jobs", id=workflow, **{"async_": True})
found["task"] = [status, task["operation"]]
while task["status"] in ("queued", "running"):
    task = call("get_task", id=task["id"])
found["task"].append(task["status"])
found["statuses"] = {job["name"]: job["status"] for job in call("list_jobs", workflow_id=workflow)["items"]}

node = call("create_compute_node", {
    **of, "hostname": "h", "pid": 1, "start_time": "2026-01-01T00:00:00Z", "num_cpus": 4, "memory_gb": 8.0,
    "num_gpus": 0, "num_nodes": 1, "compute_node_type": "local", "is_active": True})["id"]
offer = {"num_cpus": 4, "memory_gb": 8.0, "num_gpus": 0, "num_nodes": 1}
claimed = call("claim_jobs_based_on_resources", offer, id=workflow, limit=5)["jobs"]
found["claimed"] = [[job["name"], job["env"], job["output_file_ids"] == [files[1]["id"]]] for job in claimed]
first = claimed[0]["id"]
found["started"] = call("start_job", id=first, run_id=1, compute_node_id=node)["status"]
result = {**of, "job_id": first, "run_id": 1, "attempt_id": 1, "compute_node_id": node, "return_code": 0,
          "exec_time_minutes": 0.5, "completion_time": "2026-01-01T00:01:00Z", "status": "completed"}
found["completed"] = call("complete_job", result, id=first, status=models.JobStatus("completed"), run_id=1)["status"]
found["after"] = {job["name"]: job["status"] for job in call("list_jobs", workflow_id=workflow)["items"]}
results = call("list_results", workflow_id=workflow)["items"]
found["results"] = [[result["job_name"], result["return_code"], result["exec_time_minutes"]] for result in results]
found["data"] = call("get_user_data", id=data["id"])["data"]
found["status"] = call("get_workflow_status", id=workflow)["jobs_by_status"]["completed"]

refused, error = answer("get_file", id=999_999)
found["missing"] = [refused, error["error"]["message"]]
call("delete_workflow", id=workflow)
print(json.dumps(found))
