"""Run the server's processes: they grade hand-ins, send mail, and exchange deadlines and marks with LMSs."""
