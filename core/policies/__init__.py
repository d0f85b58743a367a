"""Policies: limits that somebody named, with clause and source, and whether an audit meets them."""

from core.policies.judging import Outcome, PolicyOutcome, judge_policy
from core.policies.limits import LIMITS, LIMITS_KEY
from core.policies.reading import Limit, Policy, policy_settings, read_policy
from core.policies.shipped import (
    context_name,
    context_of,
    shipped_names,
    shipped_policies,
    shipped_policy,
)

__all__ = [
    "LIMITS",
    "LIMITS_KEY",
    "Limit",
    "Outcome",
    "Policy",
    "PolicyOutcome",
    "context_name",
    "context_of",
    "judge_policy",
    "policy_settings",
    "read_policy",
    "shipped_names",
    "shipped_policies",
    "shipped_policy",
]
