start a
# nothing else
