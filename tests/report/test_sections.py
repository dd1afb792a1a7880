from comoderate.report import ReportSection, sections


def test_in_short_is_three_to_five_sentences(make):
    (listing,) = sections.in_short(make()).blocks
    assert 3 <= len(listing.items) <= 5


def test_a_section_that_a_study_adds_may_stand_in_short(make):
    extra = ReportSection(title="Where it fails", in_short="It fails on short posts.")
    (listing,) = sections.in_short(make(extras=[extra])).blocks
    assert str(listing.items[0]).startswith("An estimated")
    unknown = make().prevalence.assign(value=float("nan"))
    (alone,) = sections.in_short(make(extras=[extra], prevalence=unknown)).blocks
    assert alone.items[0] == "It fails on short posts."
    assert not any("not known" in str(item) for item in alone.items)
    (without,) = sections.in_short(make(prevalence=unknown)).blocks
    assert "not known" in str(without.items[0])


def test_several_targets_make_parts_and_one_does_not(make):
    assert [part.title for part in sections.how_much(make()).parts] == ["“abusive”", "“severe”"]
    one = make(prevalence=make().prevalence.query("target == 'severe'"))
    assert sections.how_much(one).parts == ()


def test_the_queue_is_cut_at_twenty_posts_a_target(make):
    _, posts = sections.queue(make()).blocks
    assert len(posts.posts) == 20
    two = make().queue
    two["target"] = ["a", "b"] * 20
    found = sections.queue(make(queue=two))
    assert [len(part.blocks[0].posts) for part in found.parts] == [20, 20]


def test_caveats_repeat_the_warnings_of_samples(make):
    (listing,) = sections.caveats(make()).blocks
    assert "“main”: Three days had no labels and were joined to the day before." in listing.items
    assert "The forum deletes some posts before they can be collected." in listing.items


def test_a_census_needs_no_weights(make):
    design = make().design
    census = design.assign(N=10, in_hand=10, drawn=10)
    texts = [getattr(block, "text", "") for block in sections.drawn(make(design=census)).blocks]
    assert "Every post was taken, so all labels count alike." in texts


def test_groups_that_are_not_shown_are_spoken_of_beside_those_that_are(make):
    found = make()
    domain = next(name for name in found.prevalence["domain"].unique() if name != "all")
    told = make(trimmed={domain: "It has 900 groups; the 30 largest are shown."})
    for section in (sections.how_much(told), sections.which_scorer(told)):
        texts = [getattr(block, "text", "") for part in section.parts or [section] for block in part.blocks]
        measured = section.anchor == "how-much" or domain in set(found.evaluation["domain"])
        assert ("It has 900 groups; the 30 largest are shown." in texts) == measured


def test_a_post_that_two_read_says_so_unless_it_is_judged_blind(make):
    queue = make().queue.assign(readings=2)
    queue["source"] = ["audit", *["queue"] * (len(queue) - 1)]
    note = "The queue holds 40 posts for 80 readings."
    first, second, posts = sections.queue(make(queue=queue, queue_note=note)).blocks
    assert second.text == note
    assert [("Readings", "2") in post.facts for post in posts.posts[:2]] == [False, True]
    assert "hidden" in first.text


def test_agreement_that_cannot_be_said_has_no_table(make):
    frame = make().agreement
    told, *_ = sections.agree(make()).blocks
    assert told.items[-1] == "On “Medium”, the agreement of experts can't be said: no post has two answers."
    (only,) = sections.agree(make(agreement=frame[frame["question"] == "Medium"])).blocks
    assert only.items == told.items[-1:]
    (listing,) = sections.in_short(make(agreement=frame[frame["question"] == "Medium"])).blocks
    assert told.items[-1] in listing.items
    assert sections.queue(make(queue=None, queue_note="There is no scorer.")).blocks[0].text == "There is no scorer."
