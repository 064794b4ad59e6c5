"""What a case has to declare so that what it asks exists."""

from mendbench.importing.hosts import declared_services


def test_each_model_that_is_asked_is_declared_once_by_its_name():
    urls = ["model://small/chat", "model://Org%2FLarge/chat", "model://small/chat"]
    assert declared_services(urls, "simulator") == ({"model": "real"}, {"model": {"names": ["small", "Org/Large"]}})
