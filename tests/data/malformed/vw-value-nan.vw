1 |f a:nan
-1 |f b
