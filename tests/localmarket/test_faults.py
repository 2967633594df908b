"""What goes wrong on purpose, who signed, and what survives a restart."""

import time

import httpx
import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from tests.localmarket.market import AMBER, LocalMarket, client_of, hit_values, refused


def test_an_error_before_the_effect_leaves_nothing(market, mturk):
    market.control("faults", operation="CreateHIT", kind="error")
    with refused("ServiceFault"):
        mturk.create_hit(**hit_values())
    assert mturk.list_hits()["NumResults"] == 0
    mturk.create_hit(**hit_values())


def test_a_service_fault_is_the_modelled_exception(market, mturk):
    market.control("faults", operation="GetAccountBalance", kind="error")
    with pytest.raises(mturk.exceptions.ServiceFault) as caught:
        mturk.get_account_balance()
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500


def test_a_lost_answer_comes_after_the_effect(market, mturk):
    market.control("faults", operation="CreateHIT", kind="lost")
    with pytest.raises(ConnectionClosedError):
        mturk.create_hit(**hit_values())
    assert mturk.list_hits()["NumResults"] == 1


def test_throttling_is_retried_by_boto3(market):
    market.control("faults", operation="*", kind="throttled", times=2)
    with refused("ThrottlingException", "Rate exceeded"):
        market.client().list_hits()
    patient = client_of(market.url, attempts=3)
    assert patient.list_hits()["ResponseMetadata"]["RetryAttempts"] == 1


def test_a_slow_call_is_slow_and_others_are_not(market, mturk):
    market.control("faults", operation="GetAccountBalance", kind="slow", seconds=0.7)
    begin = time.monotonic()
    mturk.get_account_balance()
    assert time.monotonic() - begin >= 0.7
    begin = time.monotonic()
    mturk.get_account_balance()
    assert time.monotonic() - begin < 0.5


def test_faults_are_of_one_operation_and_used_up(market, mturk):
    market.control("faults", operation="ListHITs", kind="error", times=2)
    mturk.get_account_balance()
    for _ in range(2):
        with refused("ServiceFault"):
            mturk.list_hits()
    mturk.list_hits()
    market.control("faults", operation="ListHITs", kind="error")
    market.control("clear-faults")
    mturk.list_hits()


def test_calls_are_written_down(market, mturk):
    answer = mturk.get_account_balance()
    with refused("HITDoesNotExist"):
        mturk.get_hit(HITId="3NONE")
    second, first = market.look("calls")
    assert first["request_id"] == answer["ResponseMetadata"]["HTTPHeaders"]["x-amzn-requestid"]
    assert (first["outcome"], second["outcome"]) == ("ok", "AWS.MechanicalTurk.HITDoesNotExist")
    assert first["access_key"] == "LOCALKEY"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("clock", {"seconds": -1}), ("clock", {}), ("balance", {"available": "lots"}),
        ("faults", {"kind": "error", "operation": "CreateThing"}), ("faults", {"kind": "rude"}),
        ("settings", {"events_lost": 101}), ("workers", {"worker_id": "b1"}), ("reset", {"now": True}),
        ("crowd", {"hit_id": "3NONE", "workers": 1}),
    ],
)  # fmt: skip
def test_control_refuses_what_it_cannot_do(market, name, values):
    response = httpx.post(f"{market.url}/control/api/{name}", json=values)
    assert response.status_code == 400
    assert response.json()["error"]


def test_control_takes_json_only_so_that_no_other_page_can_send_it(market):
    form = httpx.post(f"{market.url}/control/api/reset", data={})
    assert form.status_code == 415
    page = httpx.post(f"{market.url}/control/do/reset", data={})
    assert page.status_code == 403
    assert httpx.get(f"{market.url}/control/api/nothing").status_code == 404
    assert httpx.get(f"{market.url}/control/", headers={"Host": "evil.example"}).status_code == 400


# --- Signatures


def call(market, **headers: str) -> dict:
    target = {"X-Amz-Target": "MTurkRequesterServiceV20170117.GetAccountBalance"}
    return httpx.post(f"{market.url}/", content=b"{}", headers=target | headers).json()


def test_a_call_without_a_signature_is_refused(market):
    assert call(market)["__type"] == "MissingAuthenticationTokenException"
    assert call(market, Authorization="Bearer x")["__type"] == "IncompleteSignatureException"


def test_what_is_no_operation_or_no_json_is_refused(market):
    headers = {"X-Amz-Target": "MTurkRequesterServiceV20170117.Nothing", "Authorization": "x"}
    assert httpx.post(f"{market.url}/", content=b"{}", headers=headers).json()["__type"] == "UnknownOperationException"
    signed = (
        "AWS4-HMAC-SHA256 Credential=K/20260101/us-east-1/mturk-requester/aws4_request, SignedHeaders=h, Signature=0"
    )
    headers = {"X-Amz-Target": "MTurkRequesterServiceV20170117.ListHITs", "Authorization": signed}
    assert httpx.post(f"{market.url}/", content=b"{", headers=headers).json()["__type"] == "SerializationException"


@pytest.fixture
def guarded(tmp_path) -> LocalMarket:
    market = LocalMarket(
        tmp_path, {"LOCALMARKET_ACCESS_KEYS": "KEYONE:secret one,KEYTWO", "LOCALMARKET_BALANCE": "5.25"}
    )
    market.start()
    yield market
    market.stop()


def test_configured_keys_are_checked_and_a_restart_keeps_all(guarded):
    right = client_of(guarded.url, aws_access_key_id="KEYONE", aws_secret_access_key="secret one")
    assert right.get_account_balance()["AvailableBalance"] == "5.25"
    wrong = client_of(guarded.url, aws_access_key_id="KEYONE", aws_secret_access_key="another")
    with refused("InvalidSignatureException"):
        wrong.get_account_balance()
    stranger = client_of(guarded.url, aws_access_key_id="KEYTHREE", aws_secret_access_key="secret one")
    with refused("UnrecognizedClientException"):
        stranger.get_account_balance()
    unchecked = client_of(guarded.url, aws_access_key_id="KEYTWO", aws_secret_access_key="whatever")
    hit_id = unchecked.create_hit(**hit_values(UniqueRequestToken="ünï"))["HIT"]["HITId"]
    guarded.forward(3600)
    assignment_id = guarded.robot(AMBER).accept(unchecked.create_hit(**hit_values(Title="Two"))["HIT"]["HITId"])
    before = guarded.look("state")
    guarded.stop()
    guarded.start()
    after = guarded.look("state")
    assert after["ahead_seconds"] == before["ahead_seconds"] == 3600
    assert after["available"] == before["available"]
    assert right.get_hit(HITId=hit_id)["HIT"]["HITStatus"] == "Reviewable"
    guarded.robot(AMBER).submit(assignment_id)


def test_a_setting_that_cannot_be_used_stops_the_start_with_its_name(tmp_path):
    market = LocalMarket(tmp_path, {"LOCALMARKET_BALANCE": "a lot"})
    with pytest.raises(AssertionError, match="LOCALMARKET_BALANCE"):
        market.start()
    assert "Traceback" not in market.log


def test_an_old_signature_is_refused():
    from datetime import UTC, datetime, timedelta

    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    from hits.localmarket.refusals import Refusal
    from hits.localmarket.signing import check_signature

    request = AWSRequest("POST", "http://localhost:1/", data=b"{}", headers={"X-Amz-Target": "T"})
    SigV4Auth(Credentials("K", "s"), "mturk-requester", "us-east-1").add_auth(request)
    headers = {name.lower(): value for name, value in request.headers.items()} | {"host": "localhost:1"}
    assert check_signature({"K": "s"}, request.url, headers, b"{}") == "K"
    with pytest.raises(Refusal) as caught:
        check_signature({"K": "s"}, request.url, headers, b"{}", datetime.now(UTC) + timedelta(minutes=6))
    assert caught.value.name == "wrong_signature"
    with pytest.raises(Refusal):
        check_signature({"K": "s"}, request.url, headers, b'{"changed": 1}')


def test_a_thousand_calls_from_ten_clients_keep_the_books(market):
    """Many at once: no lock error, no cent lost."""
    from concurrent.futures import ThreadPoolExecutor

    def publish(number: int) -> str:
        return market.client().create_hit(**hit_values(Title=f"HIT {number % 3}"))["HIT"]["HITId"]

    with ThreadPoolExecutor(10) as pool:
        ids = list(pool.map(publish, range(60)))
    assert len(set(ids)) == 60
    assert market.look("state")["on_hold"] == "72.00"


def test_errors_are_plain_client_errors_where_the_model_has_none(market, mturk):
    with pytest.raises(ClientError) as caught:
        mturk.create_worker_block(WorkerId="A0NOBODY", Reason="x")
    assert caught.value.response["Error"]["Code"] == "ParameterValidationError"
    with pytest.raises(mturk.exceptions.RequestError) as modelled:
        mturk.get_hit(HITId="3NONE")
    assert modelled.value.response["Error"]["Code"] == "RequestError"
    assert modelled.value.response["TurkErrorCode"] == "AWS.MechanicalTurk.HITDoesNotExist"
