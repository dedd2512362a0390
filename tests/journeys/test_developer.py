"""A developer with an agent: one repository, and two that do not get in each other's way."""

from __future__ import annotations

from pathlib import Path

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from people import Person, repository

SHOP = {
    "shop/cart.py": '"""Carts."""\n\n\ndef check_out(total: float) -> int:\n    """The total, with the tax rounded '
    'once."""\n    return round(total * 1.2)\n',
    "shop/till.py": "from shop.cart import check_out\n\n\ndef pay(prices):\n    return check_out(sum(prices))\n",
    "README.md": "# The shop\n\nA cart is checked out when its owner pays.\n",
}
ALMANAC = {
    "almanac/moon.py": '"""The moon."""\n\n\ndef phase(day: int) -> float:\n    """How much of the moon is lit."""\n'
    "    return (day % 29.53) / 29.53\n",
}


def asked(person: Person, folder: Path, query: str) -> str:
    """What an agent gets that starts `octavo mcp` in a folder and searches."""

    async def main() -> str:
        octavo = StdioServerParameters(
            command=str(person.programs / "octavo"), args=["mcp"], env=person.environ, cwd=folder
        )
        with anyio.fail_after(300):
            async with Client(octavo) as client:
                tools = {tool.name for tool in (await client.list_tools()).tools}
                assert "search" in tools and len(tools) < 20
                found = await client.call_tool("search", {"query": query})
        return str(found.content[0].text)  # type: ignore[union-attr]

    return anyio.run(main)


def test_an_agent_finds_the_function_in_a_repository(person: Person) -> None:
    shop = repository(person.home / "shop", SHOP)
    if "OCTAVO_LIBRARY" in person.environ:  # a library by itself is made only where nobody names one
        person.types("start", at=shop)
    found = asked(person, shop, "where is the tax rounded")
    assert "shop/cart.py:" in found and len(found) < 4_000
    person.types("index", at=shop)
    hit = person.hits("where is the tax rounded", "--kind", "code", at=shop)[0]
    assert (hit["uri"], hit["kind"]) == ("shop/cart.py", "code")
    assert person.hits("who calls check_out", at=shop)[0]["uri"] == "shop/till.py"
    assert "Round the tax once" in person.types("log", "why is the tax rounded once", at=shop)
    person.types("daemon", "stop", at=shop)


def test_two_repositories_have_a_library_each_and_neither_sees_the_other(alone: Person) -> None:
    shop, almanac = repository(alone.home / "shop", SHOP), repository(alone.home / "almanac", ALMANAC)
    assert "shop/cart.py" in asked(alone, shop, "where is the tax rounded")
    assert "almanac/moon.py" in asked(alone, almanac, "how much of the moon is lit")
    libraries = {str(alone.types("status", "--json", at=folder).json["library"]) for folder in (shop, almanac)}
    assert len(libraries) == 2
    assert all(hit["uri"] != "shop/cart.py" for hit in alone.hits("tax rounded", at=almanac))
    for folder in (shop, almanac):
        alone.types("daemon", "stop", at=folder)


def test_two_repositories_in_one_library_are_told_apart_by_their_names(alone: Person) -> None:
    for name, files in (("shop", SHOP), ("almanac", ALMANAC)):
        assert alone.types("start", repository(alone.home / name, files)).code == 0
    assert alone.hits("where is the tax rounded")[0]["collection"] == "shop"
    assert {hit["collection"] for hit in alone.hits("in:almanac moon")} == {"almanac"}
