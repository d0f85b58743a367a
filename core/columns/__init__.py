"""What the columns of a table say of people, before anybody decides what is to be done with them."""
