a # 1 R halt
