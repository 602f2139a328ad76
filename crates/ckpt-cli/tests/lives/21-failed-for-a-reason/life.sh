# A phase failed. Its error points at the code; its summary says that the code is right and the fixture is wrong.
ckpt start implement invoices --phases research,build,test,docs > /dev/null
mkdir -p tests/fixtures
echo '{"DE": 0.16, "FR": 0.20}' > tests/fixtures/rates.json
git add tests && git commit --quiet -m "Add tax fixtures"

begins s1
prompt s1 'Implement invoice totals with the tax rates of this year.'
runs s1 "ckpt phase implement/invoices research complete --summary 'Rates come per country. Rounding is half-even, as agreed with finance; the legacy PHP totals round half-up and must not be copied.'"
runs s1 "ckpt phase implement/invoices build in_progress --task T001"
writes s1 src/tax.py << 'END'
RATES = {"DE": 0.19, "FR": 0.20}


def invoice_total(net, country):
    return round(net * (1 + RATES[country]), 2)
END
writes s1 tests/test_tax.py << 'END'
from src.tax import invoice_total


def test_germany(rates):
    assert invoice_total(100, "DE") == 100 * (1 + rates["DE"])
END
runs s1 "git add src tests && git commit --quiet -m 'Compute invoice totals'"
runs s1 "ckpt phase implement/invoices build complete --created src/tax.py --created tests/test_tax.py --summary 'invoice_total in src/tax.py covers DE and FR.'"
runs s1 "ckpt phase implement/invoices test in_progress --task T003"
runs s1 "ckpt phase implement/invoices test failed --error 'test_germany: invoice_total returned 119.0, expected 116.0' --summary 'src/tax.py is right, finance confirmed 19 percent. tests/fixtures/rates.json still has the reduced rate of 2020 for DE. Correct the fixture, leave invoice_total alone.'"
says s1 'The test phase failed. I wrote down why. The docs phase can describe rounding once the tests pass.'
ends s1
