"""The dashboard's web server: who may reach it, what it promises browsers, what it forgets."""
