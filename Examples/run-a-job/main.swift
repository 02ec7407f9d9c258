print("run-a-job")
