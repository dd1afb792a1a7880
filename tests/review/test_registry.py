from comoderate.review import Strategy, strategies


def test_every_strategy_is_known_by_its_name_and_explains_itself():
    for name, strategy in strategies().items():
        assert isinstance(strategy, Strategy)
        assert strategy.name == name
        assert strategy.explain() == strategy.explain().strip() != ""
    assert {"toxicity", "uncertainty", "random"} <= strategies().keys()
