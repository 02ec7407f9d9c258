print("nuke-batch")
