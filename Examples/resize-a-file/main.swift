print("resize-a-file")
