print('all good')
