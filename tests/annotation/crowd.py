"""Raters who answer as fast as posts come, each a thread of this process: `python crowd.py URL CAMPAIGN SEED RATER...`.

Prints a line for each answer once it is acknowledged: rater, key, text of the post. Some posts are skipped, some
answers taken back and given anew, some sent twice. Ends when there is nothing left for any of them.
"""

from __future__ import annotations

import random
import sys
import threading

from comoderate.annotation import Database, next_task, open_database, skip, submit, undo

ANSWERS = ({"rude": ["no"]}, {"rude": ["very"], "about": ["weather", "cooking"]})
TALKING = threading.Lock()


def say(*words: str) -> None:
    """One line, written at once."""
    with TALKING:
        sys.stdout.write("\t".join(words) + "\n")
        sys.stdout.flush()


def work(db: Database, campaign: str, rater_id: str, seed: str) -> None:
    """One rater until nothing is left."""
    rng = random.Random(f"{seed}{rater_id}")
    turn = 0
    while True:
        offer = next_task(db, rater_id, campaign=campaign)
        if offer.task is None:
            if offer.reason == "later":
                continue
            return
        turn += 1
        if rng.random() < 0.02:
            skip(db, rater_id, offer.task.lease)
            continue
        key = f"{seed}-{turn}"
        answers = rng.choice(ANSWERS)
        receipt = submit(db, rater_id, offer.task.lease, answers, idempotency_key=key)
        if rng.random() < 0.1:
            assert submit(db, rater_id, offer.task.lease, answers, idempotency_key=key).repeated
        if rng.random() < 0.05:
            undo(db, rater_id, campaign=campaign)
            continue
        assert receipt.status == "stored", receipt
        say(rater_id, key, offer.task.text)


def main() -> None:
    """Let all raters work."""
    url, campaign, seed, *raters = sys.argv[1:]
    with open_database(url) as db:
        threads = [threading.Thread(target=work, args=(db, campaign, rater, seed)) for rater in raters]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main()
