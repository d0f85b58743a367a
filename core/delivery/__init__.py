"""Several tables of one delivery, read together: what the persons' records tell beside each other."""

from core.delivery.attack import Attack
from core.delivery.judging import DeliveryAudit, attack_sentence, audit_delivery, judge_delivery, known_words
from core.delivery.keys import Link, Place, table_names
from core.delivery.measuring import (
    DeliveryMeasurement,
    TableFacts,
    measure_delivery,
    named_tables,
    released_tables,
)
from core.delivery.settings import DeliverySettings, DeliveryThresholds
from core.known import Known
