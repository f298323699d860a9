"""Creates, reads, changes and deletes records with the published client; prints what it found as JSON."""
import json
import os
import sys

from torc.api import make_api, map_function_to_jobs
from torc.openapi_client import models as m
from torc.openapi_client.rest import ApiException

api = make_api(os.environ["TORC_API_URL"])
folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, folder)
found = {"ping": api.ping().status}

workflow = api.create_workflow(m.WorkflowModel(name="mapped", user="python")).id
jobs = map_function_to_jobs(
    api, workflow, "mapped", "run", [{"a": i, "b": 2 * i} for i in range(4)],
    postprocess_func="postprocess", module_directory=folder,
)
found["jobs"] = [job.name for job in jobs]
api.initialize_jobs(workflow)
found["mapped"] = workflow

other = api.create_workflow(m.WorkflowModel(name="records", user="python", description="d")).id
file = api.create_file(m.FileModel(workflow_id=other, name="f", path="f.txt"))
needs = api.create_resource_requirements(m.ResourceRequirementsModel(workflow_id=other, name="big", num_cpus=2, memory="1g"))
first = api.create_job(m.JobModel(workflow_id=other, name="first", command="true", output_file_ids=[file.id]))
second = api.create_job(m.JobModel(workflow_id=other, name="second", command="true", input_file_ids=[file.id], resource_requirements_id=needs.id))
api.reset_workflow_status(other)
api.initialize_jobs(other)
found["statuses"] = {job.name: job.status for job in api.list_jobs(other).items}
node = api.create_compute_node(m.ComputeNodeModel(
    workflow_id=other, hostname="h", pid=1, start_time="2026-01-01T00:00:00Z", num_cpus=4, memory_gb=8.0, num_gpus=0,
    num_nodes=1, compute_node_type="local", is_active=True))
offer = m.ComputeNodesResources(num_cpus=4, memory_gb=8.0, num_gpus=0, num_nodes=1)
claimed = api.claim_jobs_based_on_resources(other, 5, offer).jobs
found["claimed"] = [job.name for job in claimed]
api.start_job(first.id, 1, node.id)
api.complete_job(first.id, "completed", 1, m.ResultModel(
    job_id=first.id, workflow_id=other, run_id=1, attempt_id=1, compute_node_id=node.id, return_code=0,
    exec_time_minutes=0.1, completion_time="2026-01-01T00:01:00Z", status="completed"))
found["after"] = {job.name: job.status for job in api.list_jobs(other).items}
found["results"] = [(result.job_id == first.id, result.return_code) for result in api.list_results(other).items]
api.create_event(m.EventModel(workflow_id=other, timestamp=0, data={"category": "note", "n": 1}))
found["events"] = [event.data for event in api.list_events(other, category="note").items]
api.delete_file(file.id)
try:
    api.get_file(file.id)
except ApiException as error:
    found["missing"] = [error.status, json.loads(error.body)["error"]["message"].replace(str(file.id), "N")]
api.delete_workflow(other)
print(json.dumps(found))
