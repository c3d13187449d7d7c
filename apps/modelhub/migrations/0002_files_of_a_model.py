"""Models may consist of several files and are told apart by a hash over all of them."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F


def hash_single_files(apps, schema_editor):
    """Models so far are one file each, or samples."""
    apps.get_model("modelhub", "Model").objects.update(content_hash=F("sha256"))


class Migration(migrations.Migration):
    dependencies = [("modelhub", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="model",
            name="sha256",
            field=models.CharField(
                db_index=True, help_text="of the file, or archive, that was uploaded", max_length=64
            ),
        ),
        migrations.AddField(
            model_name="model",
            name="content_hash",
            field=models.CharField(
                db_index=True,
                default="",
                help_text="of model and data files; of the archive until it is unpacked",
                max_length=64,
            ),
            preserve_default=False,
        ),
        migrations.RunPython(hash_single_files, migrations.RunPython.noop),
        migrations.CreateModel(
            name="ModelFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        help_text="location relative to the model file, as that refers to it", max_length=255
                    ),
                ),
                ("size_bytes", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                ("is_main", models.BooleanField(default=False, help_text="the model file itself, unpacked")),
                (
                    "model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="modelhub.model"
                    ),
                ),
            ],
            options={
                "ordering": ("-is_main", "name"),
                "constraints": [models.UniqueConstraint(fields=("model", "name"), name="modelhub_one_file_a_name")],
            },
        ),
    ]
