"""What is stored of each page: its record, its body, its copies and near duplicates, and its signals of spoofing."""
