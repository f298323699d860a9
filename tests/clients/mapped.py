"""A function that jobs run once for each set of parameters, and what is made of all results."""


def run(job_name, params):
    return {"sum": params["a"] + params["b"]}


def postprocess(results):
    return {"total": sum(result["sum"] for result in results)}
