"""AnonAudit as it is installed: beside this file lies what lies at the top of the project."""
