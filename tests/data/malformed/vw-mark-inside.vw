1 | a b
-1 | c
﻿1 | a
