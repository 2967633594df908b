"""Allowances refill, are counted a key, and never grow without bound."""

from collector.lib.rates import Allowance, Allowances


def test_an_allowance_gives_a_burst_and_refills() -> None:
    allowance = Allowance(2, 1.0, now=0)
    assert [allowance.take(0), allowance.take(0), allowance.take(0)] == [True, True, False]
    assert [allowance.take(1.5), allowance.take(1.5)] == [True, False]
    assert [allowance.take(100), allowance.take(100), allowance.take(100)] == [True, True, False]


def test_keys_do_not_share_and_the_longest_unseen_are_forgotten() -> None:
    clock = [0.0]
    allowances = Allowances(1, 0, most=2, now=lambda: clock[0])
    assert allowances.take("a")
    assert not allowances.take("a")
    assert allowances.take("b")
    assert not allowances.take("a")
    assert allowances.take("c")  # b has not been seen for longest
    assert len(allowances) == 2
    assert not allowances.take("a")
    assert allowances.take("b")
