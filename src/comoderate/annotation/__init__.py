"""Where annotations are kept, and who gives which: campaigns, tasks, raters, answers, the review desk and its journal.

On SQLite or PostgreSQL, with the same code.
"""

from comoderate.annotation.answers import Receipt, reveal, skip, submit, take_break, undo
from comoderate.annotation.assignment import Offer, Task, next_task, task
from comoderate.annotation.campaigns import (
    Campaign,
    CampaignSettings,
    campaign,
    campaigns,
    change_campaign,
    create_campaign,
    set_campaign_state,
)
from comoderate.annotation.credentials import (
    ApiToken,
    Invitation,
    api_token,
    api_tokens,
    close_session,
    close_sessions,
    count_attempts,
    create_api_token,
    create_invitation,
    find_invitation,
    invitations,
    open_session,
    record_attempt,
    redeem_invitation,
    revoke_api_token,
    revoke_invitation,
    session_rater,
)
from comoderate.annotation.database import Database, open_database
from comoderate.annotation.journal import JournalEntry, Sighting, stream_journal, who_saw, write_journal
from comoderate.annotation.leases import expire_leases, release_leases
from comoderate.annotation.progress import (
    CampaignProgress,
    CohortProgress,
    RaterProgress,
    campaign_progress,
    cohort_progress,
    rater_progress,
    raters_progress,
)
from comoderate.annotation.raters import (
    Rater,
    Role,
    add_rater,
    count_raters,
    rater,
    rater_by_login,
    raters,
    record_consent,
    record_qualification,
    record_tutorial,
    update_rater,
)
from comoderate.annotation.refusals import Conflict, NotAllowed, NotFound
from comoderate.annotation.store import Row, Store
from comoderate.annotation.tables import COLUMNS, SOURCES
from comoderate.annotation.tasks import LoadCounts, load_tasks, reorder_tasks, stream_tasks, withdraw_tasks

__all__ = [
    "COLUMNS", "SOURCES", "ApiToken", "Campaign", "CampaignProgress", "CampaignSettings", "CohortProgress", "Conflict",
    "Database", "Invitation", "JournalEntry", "LoadCounts", "NotAllowed", "NotFound", "Offer", "Rater",
    "RaterProgress", "Receipt", "Role", "Row", "Sighting", "Store", "Task", "add_rater", "api_token", "api_tokens",
    "campaign", "campaign_progress", "campaigns", "change_campaign", "close_session", "close_sessions",
    "cohort_progress", "count_attempts", "count_raters", "create_api_token", "create_campaign", "create_invitation",
    "expire_leases", "find_invitation", "invitations", "load_tasks", "next_task", "open_database", "open_session",
    "rater", "rater_by_login", "rater_progress", "raters", "raters_progress", "record_attempt", "record_consent",
    "record_qualification", "record_tutorial", "redeem_invitation", "release_leases", "reorder_tasks", "reveal",
    "revoke_api_token", "revoke_invitation", "session_rater", "set_campaign_state", "skip", "stream_journal",
    "stream_tasks", "submit", "take_break", "task", "undo", "update_rater", "who_saw", "withdraw_tasks",
    "write_journal",
]  # fmt: skip
