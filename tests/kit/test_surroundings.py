import secrets

from mendbench.kit.surroundings import environment_redactor


def test_variables_with_a_credentials_name_are_taken_out_and_no_others():
    held = secrets.token_hex(8)
    redactor = environment_redactor({"DESK_API_KEY": held, "HOME": "/home/somebody", "SHORT_TOKEN": "abc"})
    assert redactor.text(f"{held} /home/somebody abc") == "<secret:DESK_API_KEY> /home/somebody abc"


def test_the_working_folder_is_no_credential():
    redactor = environment_redactor({"PWD": "/home/somebody", "OLDPWD": "/home/somewhere", "DB_PWD": "/home/whatever"})
    assert (
        redactor.text("/home/somebody /home/somewhere /home/whatever")
        == "/home/somebody /home/somewhere <secret:DB_PWD>"
    )
