a 0 1 R halt
halt 0 0 L a
