print("all good")
