"""Gives kept plans the numbers that they were shown under, from now on for good."""

from typing import Any

from django.db import migrations, models


def number_them(apps: Any, _: Any) -> None:
    searches, fronts = apps.get_model("searches", "Search"), apps.get_model("searches", "SearchFront")
    for search in searches.objects.filter(kept_plans__isnull=False).distinct():
        front = fronts.objects.defer("data").filter(search=search).first()
        found = [plan["hash"] for plan in front.body["plans"]] if front else []
        number = len(found)
        own = list(search.kept_plans.defer("data", "body").order_by("pk"))
        # Those that the front has found since are shown as its plans: they come last.
        for plan in sorted(own, key=lambda plan: plan.hash in found):
            number += 1
            search.kept_plans.filter(pk=plan.pk).update(number=number)
        searches.objects.filter(pk=search.pk).update(last_number=number)


class Migration(migrations.Migration):
    dependencies = [("searches", "0007_solver_plans")]

    operations = [
        migrations.AddField(
            "search",
            "last_number",
            models.PositiveIntegerField(
                default=0, help_text="highest number given to a plan that joined later; no number is given twice"
            ),
        ),
        migrations.AddField("keptplan", "number", models.PositiveIntegerField(null=True)),
        migrations.RunPython(number_them, migrations.RunPython.noop),
        migrations.AlterField(
            "keptplan", "number", models.PositiveIntegerField(help_text="among the search's plans; it stays")
        ),
        migrations.AlterField("keptplan", "body", models.JSONField(help_text="its summary, without its number")),
        migrations.AddConstraint(
            "keptplan", models.UniqueConstraint(fields=("search", "number"), name="searches_kept_number_once")
        ),
    ]
