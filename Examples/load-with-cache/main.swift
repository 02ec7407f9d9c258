print("load-with-cache")
