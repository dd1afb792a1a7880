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
from comoderate.annotation.claims import DeskItem, DeskOffer, Opinion, claim, desk_item, release_item
from comoderate.annotation.credentials import (
    ApiToken,
    Invitation,
    api_token,
    api_tokens,
    close_session,
    close_sessions,
    create_api_token,
    create_invitation,
    find_invitation,
    invitations,
    open_session,
    redeem_invitation,
    revoke_api_token,
    revoke_invitation,
    session_rater,
)
from comoderate.annotation.database import Database, open_database
from comoderate.annotation.decisions import (
    Decision,
    ask_second,
    count_decisions,
    decide,
    escalate,
    push_decision,
    stream_decisions,
    undo_decision,
)
from comoderate.annotation.desks import (
    Desk,
    DeskProgress,
    DeskSettings,
    Experiment,
    create_desk,
    desk,
    desk_progress,
    desks,
    load_queue,
    set_desk_state,
)
from comoderate.annotation.enquiries import Enquiry, ask, enquiries, reply
from comoderate.annotation.forgetting import forget_post, scrub
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
    login_key,
    rater,
    rater_by_login,
    raters,
    record_consent,
    record_qualification,
    record_tutorial,
    update_rater,
)
from comoderate.annotation.refusals import Conflict, NotAllowed, NotFound
from comoderate.annotation.resets import change_password, create_reset, find_reset, redeem_reset
from comoderate.annotation.store import Row, Store
from comoderate.annotation.streams import append_annotations, stream_annotations
from comoderate.annotation.tables import COLUMNS, SOURCES
from comoderate.annotation.tasks import LoadCounts, load_tasks, reorder_tasks, stream_tasks, withdraw_tasks

__all__ = [
    "COLUMNS", "SOURCES", "ApiToken", "Campaign", "CampaignProgress", "CampaignSettings", "CohortProgress",
    "Conflict", "Database", "Decision", "Desk", "DeskItem", "DeskOffer", "DeskProgress", "DeskSettings", "Enquiry",
    "Experiment", "Invitation", "JournalEntry", "LoadCounts", "NotAllowed", "NotFound", "Offer", "Opinion",
    "Rater", "RaterProgress", "Receipt", "Role", "Row", "Sighting", "Store", "Task", "add_rater", "api_token",
    "api_tokens", "append_annotations", "ask", "ask_second", "campaign", "campaign_progress", "campaigns",
    "change_campaign", "change_password", "claim", "close_session", "close_sessions", "cohort_progress",
    "count_decisions", "count_raters", "create_api_token", "create_campaign", "create_desk", "create_invitation",
    "create_reset", "decide",
    "desk", "desk_item", "desk_progress", "desks", "enquiries", "escalate", "expire_leases", "find_invitation",
    "find_reset", "forget_post", "invitations", "load_queue", "load_tasks", "login_key", "next_task", "open_database",
    "open_session", "push_decision", "rater", "rater_by_login", "rater_progress", "raters", "raters_progress",
    "record_consent", "record_qualification", "record_tutorial", "redeem_invitation", "redeem_reset", "release_item",
    "release_leases", "reorder_tasks", "reply", "reveal", "revoke_api_token", "revoke_invitation", "scrub",
    "session_rater",
    "set_campaign_state", "set_desk_state", "skip", "stream_annotations", "stream_decisions", "stream_journal",
    "stream_tasks", "submit", "take_break", "task", "undo", "undo_decision", "update_rater", "who_saw",
    "withdraw_tasks", "write_journal",
]  # fmt: skip
