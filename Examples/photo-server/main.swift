print("photo-server")
