"""The server is killed while people talk; nobody loses a word."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.product import Product

pytestmark = pytest.mark.timeout(600)
KILLS = 3


def test_a_server_killed_again_and_again_loses_nothing_that_was_shown(own_product: Product) -> None:
    product = own_product
    command = ["simulate_dialogs", "--pairs", "10", "--think", "0.5", "--seed", "5", "--url", product.url]
    with ThreadPoolExecutor(1) as pool:
        talking = pool.submit(product.manage, *command, check=False)
        for _ in range(KILLS):
            time.sleep(3)
            assert not talking.done(), "the dialogs were over before the server was killed"
            product.kill()
            product.start()
        done = talking.result()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing was lost, doubled or out of order." in done.stdout
