import secrets

from mendbench.secrets.environment import environment_redactor


def test_variables_with_a_credentials_name_are_taken_out_and_no_others():
    held = secrets.token_hex(8)
    redactor = environment_redactor({"DESK_API_KEY": held, "HOME": "/srv/somebody", "SHORT_TOKEN": "abc"})
    assert redactor.text(f"{held} /srv/somebody abc") == "<secret:DESK_API_KEY> /srv/somebody abc"


def test_the_working_folder_is_no_credential():
    redactor = environment_redactor({"PWD": "/srv/somebody", "OLDPWD": "/srv/somewhere", "DB_PWD": "/srv/whatever"})
    assert redactor.text("/srv/somebody /srv/somewhere /srv/whatever") == "/srv/somebody /srv/somewhere <secret:DB_PWD>"
