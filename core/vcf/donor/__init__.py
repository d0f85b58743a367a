"""Could the donor be found? What the variants that remain tell of the people in a file.

`measure_donors` reads an anonymized file, and a panel beside it where there is one; `judge_donors` says what
follows.
"""

from core.vcf.donor.judging import DonorAudit, judge_donors
from core.vcf.donor.kinship import DEGREES, KinshipMeasurement, Relative, measure_kinship
from core.vcf.donor.measuring import DonorMeasurement, measure_donors
from core.vcf.donor.remaining import COMMON, IDENTIFYING, Remaining
