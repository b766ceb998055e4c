import pytest

from shop.cart import Cart, Item, OutOfStock


@pytest.fixture
def cart():
    return Cart()


@pytest.fixture
def apple():
    return Item("apple", price=0.5, stock=10)


@pytest.fixture
def melon():
    return Item("melon", price=3.0, stock=1)


def test_new_cart_is_empty(cart):
    assert len(cart) == 0
    assert cart.total() == 0


def test_add_item(cart, apple):
    cart.add(apple)
    assert len(cart) == 1
    assert apple in cart


def test_total_adds_prices(cart, apple, melon):
    cart.add(apple, quantity=2)
    cart.add(melon)
    assert cart.total() == pytest.approx(4.0)


def test_remove_item(cart, apple):
    cart.add(apple)
    cart.remove(apple)
    assert apple not in cart


def test_remove_missing_item(cart, melon):
    with pytest.raises(KeyError):
        cart.remove(melon)


def test_add_more_than_stock(cart, melon):
    with pytest.raises(OutOfStock):
        cart.add(melon, quantity=2)


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        (1, 0.5),
        (2, 1.0),
        (4, 2.0),
        (10, 5.0),
    ],
)
def test_quantity(cart, apple, quantity, expected):
    cart.add(apple, quantity=quantity)
    assert cart.total() == pytest.approx(expected)


def test_discount(cart, melon):
    cart.add(melon)
    cart.apply_discount(0.5)
    assert cart.total() == pytest.approx(1.5)


def test_clear(cart, apple, melon):
    cart.add(apple)
    cart.add(melon)
    cart.clear()
    assert len(cart) == 0
